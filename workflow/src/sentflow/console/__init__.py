"""What a run says where somebody reads along: a line per job, how far it is, and why a job failed."""
