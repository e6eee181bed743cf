"""The studio: pages on this machine on which a data protector does the whole job, from a file to a release."""
