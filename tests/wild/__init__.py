"""Rating workbooks as other people build them, right and wrong, and what `validate` says of them.

The books are written from the published description of what people build, without a look at how the package recognises
anything: the layouts, the mistakes and the numbers that must come out (`truth`, plain Python) are those of a stranger.
"""
