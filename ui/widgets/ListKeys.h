// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A search field above a list: the keys that move go on in the list.

#include <QObject>

class QWidget;

namespace headlight {

/// Up, down and the page keys in `field` go to `list`, which takes the focus, from what is chosen
/// there. Belongs to the field.
class ListKeys : public QObject {
  Q_OBJECT
 public:
  ListKeys(QWidget* field, QWidget* list);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget *m_field, *m_list;
};

}  // namespace headlight
