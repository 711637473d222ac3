/**
 * Utilities that providers share with the modules above: waits, closing in order, worker threads, limits of logs, and holds on arenas. A
 * program does not need them.
 */
package org.panamaverbs.spi.support;
