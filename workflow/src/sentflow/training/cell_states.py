"""What a cell of a table of trainings holds, as papers print it. Standard library only."""

VALUE = "value"
NOT_RUN = "?"
NOT_APPLICABLE = "-"
