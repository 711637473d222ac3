/**
 * Events for recordings of the JDK's Flight Recorder (JFR). Module jdk.jfr is optional: without it nothing is recorded. Other packages name
 * {@link org.panamaverbs.softiwarp.jfr.Recorder} alone, and that class names no class of JFR. This package may use {@code wire}.
 */
package org.panamaverbs.softiwarp.jfr;
