// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// qcustomplot.h, which uses Qt's lower-case keywords that the rest of the project goes without.

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
