// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Makes the compiled-in icons, help pages and samples (":/…") known. Once, before a window is
/// made. In the global namespace, as Q_INIT_RESOURCE demands.
void initializeHeadlightResources();
