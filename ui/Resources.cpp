#include "ui/Resources.h"

#include <QDir>
#include <QtGlobal>

void initialiseHeadlightResources() {
  Q_INIT_RESOURCE(headlight);
}
