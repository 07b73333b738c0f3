// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/Resources.h"

#include <QDir>
#include <QtGlobal>

void initializeHeadlightResources() {
  Q_INIT_RESOURCE(headlight);
}
