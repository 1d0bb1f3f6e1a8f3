"""What a verdict is and how it is told: findings, text, SARIF, the annotated copy."""
