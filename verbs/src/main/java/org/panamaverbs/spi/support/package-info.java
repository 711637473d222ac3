/**
 * Utilities that providers share with the modules above: waits, closing in order, worker threads, limits of logs, and holds on arenas. A
 * program does not need them.
 */
@NullMarked
package org.panamaverbs.spi.support;

import org.jspecify.annotations.NullMarked;
