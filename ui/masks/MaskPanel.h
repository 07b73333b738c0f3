#pragma once
// The content of the Masks dock: the scheme's name, presets, the brush and the matrix.

#include <QWidget>

#include <functional>

class QAction;
class QLabel;
class QMenu;

namespace headlight {

class BackgroundTask;
class BrushEditor;
class Document;
class MaskMatrix;
class MessageLabel;

class MaskPanel : public QWidget {
  Q_OBJECT
 public:
  explicit MaskPanel(Document* document, QWidget* parent = nullptr);

  MaskMatrix* matrix() const { return m_matrix; }
  /// Presets, reset, load, save, undo and redo, for menus and the palette. Text, tooltip and
  /// objectName are set; shortcuts are the shell's.
  const QList<QAction*>& commands() const { return m_commands; }
  QAction* undoAction() const { return m_undo; }
  QAction* redoAction() const { return m_redo; }

  /// One undo step; window and α of the brush.
  void applyPreset(const QString& name);
  /// Reads in the background; a bad file is told through Document::failed.
  void loadScheme(const QString& path);
  void saveScheme(const QString& path);

 private:
  QWidget* makeToolRow();
  QAction* addCommand(const QString& name, const QString& text, const QString& tip,
                      const std::function<void()>& run);
  void refresh();
  void refreshStatus();
  void chooseFileToLoad();
  void chooseFileToSave();

  Document* m_document;
  BrushEditor* m_brush;
  MaskMatrix* m_matrix;
  BackgroundTask* m_files;
  QList<QAction*> m_commands;
  QList<QAction*> m_needMaskable;  ///< off where no head can be masked
  QAction* m_save = nullptr;
  QMenu* m_presets = nullptr;
  QAction* m_undo = nullptr;
  QAction* m_redo = nullptr;
  QLabel* m_name = nullptr;
  MessageLabel* m_notice = nullptr;
  QLabel* m_status = nullptr;
};

}  // namespace headlight
