/** A process that reports only the CPU time of Node itself. */
const { user, system } = process.cpuUsage();
process.send?.(user + system);
