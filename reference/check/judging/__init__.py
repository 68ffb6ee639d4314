"""What all families share: what an instance and a Spec are, the judge, `certify`, and simpler instances."""
