"""The mutation harness: strangers' rating workbooks, faults planted in them, and rewrites that change nothing."""
