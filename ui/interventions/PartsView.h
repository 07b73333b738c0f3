// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A number for every part of a model, layers below each other: heads, tokens, or heads that read
// others. The part under the pointer, or reached with arrow keys, is marked and reported; a click or
// Enter chooses it.

#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

#include "core/workbench/session/Images.h"

namespace headlight {

struct ShownParts {
  std::vector<std::vector<double>> values;  ///< [row][column]; NaN, or a shorter row: no such part
  QStringList rows;                         ///< their labels
  ColorMap colorMap = ColorMap::Diverging;
  ValueRange range;

  int columns() const;
  bool has(int row, int column) const;
};

class PartsView : public QWidget {
  Q_OBJECT
 public:
  struct Cell {
    int row = 0, column = 0;
    bool operator==(const Cell&) const = default;
  };
  explicit PartsView(QWidget* parent = nullptr);

  void setParts(const ShownParts& parts);
  const ShownParts& parts() const { return m_parts; }
  void setCell(const std::optional<Cell>& cell);
  const std::optional<Cell>& cell() const { return m_cell; }
  QRect cellRect(const Cell& cell) const;
  std::optional<Cell> cellAt(const QPoint& position) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 Q_SIGNALS:
  void cellChanged();
  void chosen(int row, int column);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  int cellWidth() const;
  void moveBy(int rows, int columns);

  ShownParts m_parts;
  std::optional<Cell> m_cell;
};

}  // namespace headlight
