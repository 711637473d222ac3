/**
 * The memory that a device knows: regions and windows, their registration, and the table of their keys. A parent closes its children
 first. If the device refuses to end a registration, the region's arena stays open.
 */
package org.panamaverbs.rdmacore.memory;
