"""What the methods of the top-k SVM and of SVMperf need: `conjugate` directions in duals, `selections` of samples."""
