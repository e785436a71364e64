/** The stream of batches. */
export const STREAM = "obspan:q";
/** A hash: spans and bytes of the stream, also of the batches in flight, and bytes of the dead letters. */
export const COUNTERS = "obspan:q:n";
/** The stream of dead letters. */
export const DEAD_LETTERS = "obspan:dead";
/** The consumer group: an entry is given to one of its consumers. */
export const GROUP = "workers";
/** The key of a batch id that was accepted. */
export const BATCH_PREFIX = "obspan:b:";
