/**
 * Progress: the event loop and its thread, and what moves the bytes of a stream over its channel. It may touch {@code transport}, but none
 * of the kinds of it, and {@code qp} with what lies below.
 */
package org.panamaverbs.softiwarp.progress;
