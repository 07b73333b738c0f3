// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How large a figure is, how fine, and what stands above it, before it is saved.

#include <QDialog>

#include "ui/figures/FigureExport.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace headlight {

class FigureDialog : public QDialog {
  Q_OBJECT
 public:
  /// Begins with what the request says.
  explicit FigureDialog(const FigureRequest& request, QWidget* parent = nullptr);

  /// The request with what was chosen; its path is still to be asked for.
  FigureRequest request() const;

 private:
  void showSize();

  FigureRequest m_request;
  QLineEdit* m_title;
  QSpinBox *m_width, *m_dpi;
  QCheckBox* m_legend;
  QLabel* m_size;
};

}  // namespace headlight
