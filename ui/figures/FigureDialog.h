// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Width, resolution and title of a figure before it is saved.

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
  /// Starts with the values of the request.
  explicit FigureDialog(const FigureRequest& request, QWidget* parent = nullptr);

  /// The request with the chosen values, still without a path.
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
