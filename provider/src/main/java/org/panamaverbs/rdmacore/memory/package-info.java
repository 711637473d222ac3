/**
 * The memory that a device knows: regions and windows, their registration, and the table of their keys. A parent closes its children first.
 * If the device refuses to end a registration, the region's arena stays open.
 *
 * <p>On iWARP the sink of a Read needs REMOTE_WRITE, or posting throws. The provider does not add this right, because that would open
 * memory to peers without the program's knowledge. If the device refuses to close a region because of its windows, closing the region
 * closes them first.
 */
package org.panamaverbs.rdmacore.memory;
