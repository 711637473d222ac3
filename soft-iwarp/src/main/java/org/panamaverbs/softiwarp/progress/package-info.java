/**
 * Progress: the event loop and its thread, and the driver that moves the bytes of a stream over its channel. This package may use
 * {@code transport}, but none of its kinds, and {@code qp} and all below.
 */
package org.panamaverbs.softiwarp.progress;
