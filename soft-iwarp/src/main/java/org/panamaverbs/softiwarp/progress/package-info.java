/**
 * Progress: the event loop and its thread, and the driver that moves the bytes of a stream over its channel.
 *
 * <p>The leader of a loop receives; a thread that owns transmission sends. Any thread may become either: the progress thread, a thread that
 * polls or waits for completions ({@link org.panamaverbs.softiwarp.progress.EventLoop}), or a thread that posts.
 */
package org.panamaverbs.softiwarp.progress;
