#include "ui/base/Resources.h"

#include <QDir>
#include <QtGlobal>

void initialiseHeadlightResources() {
  Q_INIT_RESOURCE(headlight);
}
