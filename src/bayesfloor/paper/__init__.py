"""The numerical section of Noshad & Hero (2018): simulated, drawn, and its claims checked."""
