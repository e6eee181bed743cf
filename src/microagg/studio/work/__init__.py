"""What jobs do, in processes of their own: functions of a `Task` and plain arguments."""
