"""Long proofs: kills at random moments, fuzzing, fresh starts. Run by `npm run test:long`."""
