/**
 * Events for recordings of the JDK's Flight Recorder (JFR) that other providers do not have: Terminates and slow operations. Other packages
 * name {@link org.panamaverbs.softiwarp.jfr.Recorder} alone, and that class names no class of JFR, since a runtime may lack it.
 *
 * <p>The root and {@code progress}, which have a clock, report events; protocol packages do not. Each kind has one event object that is
 * never committed: while no recording runs, the overhead is a call of {@code isEnabled()} on that object. {@code EventType} could answer
 * the same question, but would start the Flight Recorder with the first device.
 */
package org.panamaverbs.softiwarp.jfr;
