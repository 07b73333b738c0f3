// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every head by depth as a figure, with a preview of the file.

#include <QDialog>

#include "core/workbench/evaluation/HeadMetrics.h"

class QLabel;

namespace headlight {

class MessageLabel;

/// Shows the figure; **Save…** writes PDF, SVG, PNG or the numbers.
class HeadFigureDialog : public QDialog {
  Q_OBJECT
 public:
  HeadFigureDialog(const HeadValues& values, const QString& subject, QWidget* parent = nullptr);

  void save(const QString& path);

 private:
  void draw();
  void choosePath();

  HeadValues m_values;
  QLabel* m_image;
  MessageLabel* m_status;
};

}  // namespace headlight
