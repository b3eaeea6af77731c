#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace holo::store {

// One connection, used by one thread. Waits up to five seconds for other connections. Throws Error: busy after that wait, malformed for
// a damaged file, resource for a full disk.
class Database {
public:
    enum class Mode { ReadWrite, ReadOnly };

    // WAL with normal synchronisation; a rollback journal with full synchronisation where the file system is shared between machines or
    // SQLite does not grant WAL.
    static Database open(const std::filesystem::path& file, Mode mode = Mode::ReadWrite);
    static Database inMemory();

    ~Database();
    Database(Database&& other) noexcept;
    Database& operator=(Database&& other) noexcept;

    void execute(const std::string& sql);
    const std::string& journalMode() const { return m_journalMode; }
    sqlite3* handle() const { return m_handle; }

private:
    Database(sqlite3* handle, std::string name)
        : m_handle(handle)
        , m_name(std::move(name))
    {
    }
    void configure(bool sharedFileSystem, Mode mode);

    sqlite3* m_handle = nullptr;
    std::string m_name;
    std::string m_journalMode;
};

// A prepared statement; parameters and columns count from 1 and 0 as in SQLite.
class Statement {
public:
    Statement(Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(int index, std::int64_t value);
    Statement& bind(int index, int value) { return bind(index, std::int64_t(value)); }
    Statement& bind(int index, std::string_view value);
    Statement& bind(int index, const char* value) { return bind(index, std::string_view(value)); }
    Statement& bind(int index, double value);          // non-finite: its name as text
    Statement& bindPresent(int index, double value);   // NaN means "not there": NULL
    bool step();   // true while there is a row
    void run();    // step to the end and reset

    std::int64_t integer(int column) const;
    double real(int column) const;  // NULL: NaN
    std::string text(int column) const;

private:
    Database& m_database;
    sqlite3_stmt* m_statement = nullptr;
};

// A writing transaction from its first statement on (BEGIN IMMEDIATE); rolled back unless committed.
class Transaction {
public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& m_database;
    bool m_open = true;
};

}  // namespace holo::store
