// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/canvas/ImagePainting.h"

namespace headlight {

/// A Legend as a widget, for images that do not paint their own.
class LegendBar : public QWidget {
  Q_OBJECT
 public:
  explicit LegendBar(QWidget* parent = nullptr);
  void setLegend(const Legend& legend);
  const Legend& legend() const { return m_legend; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Legend m_legend;
};

}  // namespace headlight
