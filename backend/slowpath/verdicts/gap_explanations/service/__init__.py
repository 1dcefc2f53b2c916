"""Verbs on explanations of gaps: asking for one, finding the traces that may tell, writing down what they tell."""
