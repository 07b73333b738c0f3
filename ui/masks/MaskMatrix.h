#pragma once
// Layers (rows) × heads (columns), a cell a head: colour and letter = kind, bar = ALS, number = R
// or α; both are the newest look's and the masks', or those of a training step that was chosen.
// Paints with the brush by mouse, or edits the selection by keyboard. Layers that no mask acts on
// are hatched: they can be selected and looked at, every edit leaves them out.

#include <QAbstractScrollArea>

#include <optional>
#include <set>

#include "core/masks/MaskEdit.h"
#include "ui/document/MaskText.h"

class QMenu;

namespace headlight {

class Document;

class MaskMatrix : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit MaskMatrix(Document* document, QWidget* parent = nullptr);

  const HeadMask& brush() const { return m_brush; }
  void setBrush(const HeadMask& brush);

  std::vector<HeadCell> selection() const { return {m_selection.begin(), m_selection.end()}; }
  std::optional<HeadCell> current() const { return m_current; }
  void select(const std::vector<HeadCell>& cells);  ///< cells that do not exist are left out
  void selectAll();

  /// One undo step that gives `cells` the mask; cells that cannot be masked are left out of this
  /// and all other edits.
  void setMask(const std::vector<HeadCell>& cells, const HeadMask& mask);
  /// The brush on `cells`, or none where they all have it already.
  void toggleBrush(const std::vector<HeadCell>& cells);
  /// Changes the kind of the selection; window and α come from each cell, or from the brush where
  /// the cell was unmasked.
  void setKindOfSelection(MaskKind kind);
  /// Masked cells of the selection get this window (odd, at least 1).
  void setWindowOfSelection(int window);
  void changeWindowOfSelection(int steps);  ///< two patches a step
  /// The soft masks of the selection, or all where nothing is selected, forget the α they learned.
  void resetAlphas();

  /// In the viewport's coordinates; where there is no such cell, an empty rectangle.
  QRect cellRect(const HeadCell& cell) const;
  QRect rowHeaderRect(int layer) const;
  QRect columnHeaderRect(int head) const;
  QRect cornerRect() const;
  /// What the tooltip of a cell says.
  QString describeCell(const HeadCell& cell) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void brushChanged(const HeadMask& brush);
  void selectionChanged();

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  enum class Part { Nothing, Cell, RowHeader, ColumnHeader, Corner };
  struct Hit {
    Part part = Part::Nothing;
    int layer = -1, head = -1;
  };

  void followModel();  ///< a scheme of another shape: forget the selection, lay out again
  void layOut();
  void showCell(const HeadCell& cell);
  void setCurrent(const HeadCell& cell);
  void extendTo(const HeadCell& cell);
  void moveCurrent(int layers, int heads, bool extend);
  void announce();  ///< selection changed: repaint, tell screen readers
  void paintStrokeTo(const QPoint& position);
  void pushMasks(const std::vector<HeadCell>& cells, const std::vector<HeadMask>& masks,
                 const QString& label);
  void fillMenu(QMenu* menu);
  void fillKinds(QMenu* menu);
  bool isMaskable(const HeadCell& cell) const;
  /// Those of `cells` that can be masked; where there are none, says why.
  std::vector<HeadCell> maskable(const std::vector<HeadCell>& cells) const;
  bool handleMaskKey(QKeyEvent* event);
  bool handleMoveKey(QKeyEvent* event);
  Hit hitAt(const QPoint& position) const;
  std::vector<HeadCell> cellsOf(const Hit& hit) const;
  QString describeHit(const Hit& hit) const;
  void drawCell(QPainter& painter, const HeadCell& cell, const QRect& rect) const;
  void drawHeaders(QPainter& painter) const;

  Document* m_document;
  HeadMask m_brush;
  std::set<HeadCell> m_selection;
  std::optional<HeadCell> m_current, m_anchor;
  Hit m_hover;
  QSize m_cellSize{48, 30};
  int m_rowHeaderWidth = 34;
  int m_columnHeaderHeight = 22;
  // A paint stroke: its number, what it paints, and where the mouse was last.
  int m_stroke = -1;
  HeadMask m_strokeMask;
  std::vector<HeadCell> m_strokeCells;
  QPoint m_strokePosition;
};

}  // namespace headlight
