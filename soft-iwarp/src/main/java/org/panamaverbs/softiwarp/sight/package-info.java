/**
 * Events for recordings of the JDK's Flight Recorder (JFR). Module jdk.jfr is optional: without it nothing is recorded. No class but
 * {@link org.panamaverbs.softiwarp.sight.Recorder} is named from outside, and that one names nothing of JFR.
 */
package org.panamaverbs.softiwarp.sight;
