package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** A memory region was closed. */
@Name("panamaverbs.MemoryDeregistration")
@Label("Memory Deregistration")
@Registered
final class MemoryDeregistration extends MemoryEvent {
}
