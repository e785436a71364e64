/** A process that does nothing but say what Node itself has cost so far. */
const { user, system } = process.cpuUsage();
process.send?.(user + system);
