// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of the Masks dock: the scheme's name, presets, the brush and the matrix.

#include <QWidget>

#include <functional>
#include <vector>

#include "core/masks/HeadPlace.h"
#include "ui/base/Actions.h"

class QLabel;
class QMenu;

namespace headlight {

class BrushEditor;
class Document;
class MaskMatrix;
class MessageLabel;
class SchemeFiles;

class MaskPanel : public QWidget {
  Q_OBJECT
 public:
  explicit MaskPanel(Document* document, QWidget* parent = nullptr);

  MaskMatrix* matrix() const { return m_matrix; }
  /// Presets, reset, load, save and the keyboard's way in, for the Masks menu.
  const QList<QAction*>& commands() const { return m_commands; }
  /// Undo and redo, for the Edit menu.
  QList<QAction*> editCommands() const { return {m_undo, m_redo}; }
  QAction* undoAction() const { return m_undo; }
  QAction* redoAction() const { return m_redo; }

  /// One undo step; as published, independent of the brush.
  void applyPreset(const QString& name);
  /// Reads in the background; Document::failed reports a bad file.
  void loadScheme(const QString& path);
  void saveScheme(const QString& path);

 Q_SIGNALS:
  void neededInView();  ///< the matrix is about to get the focus, also where its dock is hidden

 private:
  QWidget* makeToolRow();
  QMenu* makeSchemeMenu(QWidget* parent);
  QAction* addCommand(const CommandWords& words, const std::function<void()>& run);
  void makeUndoCommands();
  void makeFocusCommand();
  void makePaintCommand();
  void refresh();
  void refreshStatus();
  QString noEffectText(const std::vector<HeadPlace>& heads) const;
  void chooseByValue();
  void chooseRegion();

  Document* m_document;
  BrushEditor* m_brush;
  MaskMatrix* m_matrix;
  SchemeFiles* m_files;
  QList<QAction*> m_commands;
  QList<QAction*> m_needMaskable;  ///< off where no head can be masked
  QAction* m_save = nullptr;
  QAction* m_focus = nullptr;
  QAction* m_paint = nullptr;
  QAction* m_undo = nullptr;
  QAction* m_redo = nullptr;
  QLabel* m_name = nullptr;
  MessageLabel* m_notice = nullptr;
  QLabel* m_status = nullptr;
};

}  // namespace headlight
