/**
 * Progress: the event loop and its thread, and the driver that moves the bytes of a stream over its channel. This package may use
 * {@code transport} without any of its kinds, {@code qp}, {@code jfr}, {@code memory} and {@code wire}.
 */
package org.panamaverbs.softiwarp.progress;
