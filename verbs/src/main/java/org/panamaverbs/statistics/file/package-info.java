/** The file that a process maps to publish its statistics. Not exported: programs read it by {@code StatisticsFile}. */
@NullMarked
package org.panamaverbs.statistics.file;

import org.jspecify.annotations.NullMarked;
