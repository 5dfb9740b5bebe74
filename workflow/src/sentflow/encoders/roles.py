"""What a text is to those who ask for its vector. The Snakefile imports this module in every job."""

TEXT, QUERY, DOCUMENT = "text", "query", "document"
# The first and the second texts of a task whose prompts tell them apart
SIDES = (QUERY, DOCUMENT)
