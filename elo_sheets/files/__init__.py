"""Any file in, safely, and out whole: packages, archives, cells, references, lint, safe replacing."""
