// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which number is shown of every head, of this image or averaged over a dataset; while it is
// measured, how far that is.

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace headlight {

class Document;
class HeadValuesBridge;

class NumberChooser : public QWidget {
  Q_OBJECT
 public:
  NumberChooser(Document* document, HeadValuesBridge* bridge, QWidget* parent = nullptr);

 private:
  void choose();
  void refresh();

  Document* m_document;
  HeadValuesBridge* m_bridge;
  QComboBox* m_measure;
  QToolButton* m_averaged;
  QToolButton* m_anew;
  QLabel* m_state;
  bool m_reading = false;
};

}  // namespace headlight
