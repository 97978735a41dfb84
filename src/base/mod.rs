//! What every floor stands on: clock, chance, queues, words.
