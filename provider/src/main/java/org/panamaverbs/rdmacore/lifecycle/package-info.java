/**
 * Closing once, and the end of queue pairs: in plain Java, without a native call. This package touches no other.
 */
package org.panamaverbs.rdmacore.lifecycle;
