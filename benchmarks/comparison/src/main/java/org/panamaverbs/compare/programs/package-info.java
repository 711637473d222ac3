/** Programs that {@code benchmarks/compare} starts as processes of their own, to have what Java can do without us beside us. */
package org.panamaverbs.compare.programs;
