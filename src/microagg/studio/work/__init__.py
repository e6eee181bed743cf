"""What jobs do, in processes of their own: functions of a `JobTask` and plain arguments."""
