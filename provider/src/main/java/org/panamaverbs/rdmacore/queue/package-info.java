/**
 * Rings and completion queues. A ring has the requests of one work queue that are posted and not done, with the structs that the device reads.
 A number in each request leads from a completion back to the queue that posted the request. This package knows no queue pair.
 */
package org.panamaverbs.rdmacore.queue;
