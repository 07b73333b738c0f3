// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The help pages (resources/help, Markdown) in a window of their own.

#include <QDialog>
#include <QTextBrowser>
#include <QTextDocument>

class QListWidget;
class QLineEdit;

namespace headlight {

class Actions;

/// Shows Markdown pages from ":/help"; the page of shortcuts is completed from the actions.
class HelpText : public QTextBrowser {
  Q_OBJECT
 public:
  HelpText(const Actions* actions, QWidget* parent);

  QVariant loadResource(int type, const QUrl& name) override;
  /// "keys-in-the-matrix": the heading of that name, as links in Markdown write it.
  void showHeading(const QString& anchor);
  /// Whether a search finds it there.
  bool pageHas(const QString& page, const QString& text) const;

 protected:
  void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override;

 private:
  QString loadMarkdown(const QString& page) const;
  QString renderHtml(const QString& markdown) const;

  const Actions* m_actions;
};

class HelpBrowser : public QDialog {
  Q_OBJECT
 public:
  explicit HelpBrowser(const Actions* actions, QWidget* parent = nullptr);

  /// "index", "masks", …: the name of a file in resources/help without its ending.
  void showPage(const QString& page);
  QString page() const;
  static QStringList pages();  ///< in reading order

  QTextBrowser* browser() const { return m_text; }

 private:
  void search(const QString& text);
  void onSourceChanged(const QUrl& source);

  HelpText* m_text;
  QListWidget* m_contents;
  QLineEdit* m_search;
};

/// The page of shortcuts with its table, as in resources/help/shortcuts.md.
QString shortcutsPage(const Actions& actions);

}  // namespace headlight
