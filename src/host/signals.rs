//! Signals: faults of a rank end that rank; kills are delivered where they do no harm.
