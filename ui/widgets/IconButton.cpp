#include "ui/widgets/IconButton.h"

#include "ui/Icons.h"

namespace headlight {

QPushButton* iconButton(QWidget* parent, const char* name, const QString& text, const char* icon,
                        const QString& tip) {
  auto* button = new QPushButton(lineIcon(QLatin1String(icon)), text, parent);
  button->setObjectName(QLatin1String(name));
  button->setToolTip(tip);
  return button;
}

}  // namespace headlight
