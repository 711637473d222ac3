/**
 * Rings and completion queues. A ring has the requests of one work queue that are posted and not done, with the structs that the device
 * reads. A number in each request leads from a completion back to the queue that posted the request. This package knows no queue pair.
 *
 * <p>A ring beside the device's makes depths exact and chains requests with MORE under one doorbell. It lets the device report at least
 * every 32nd request, unseen by the program, so that slots of unsignalled requests become free. It brings completions into posting order
 * (siw reports a Send at once, but an earlier Read only with its answer), flushes requests that a device does not flush (libsiw drops
 * requests posted to a queue pair in error), and keeps the rest of a chain if the device's queue is full (ENOMEM): later polls submit that
 * rest.
 */
package org.panamaverbs.rdmacore.queue;
