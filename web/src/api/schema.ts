// schema.ts — every operation of the server. Made by tools/client.mjs from openapi.json: change neither by hand.

export interface Operations {
  // How many runs ended when, and how long they took
  "GET /api/activity": {
    path: {  };
    query: { seconds?: string | number | boolean; buckets?: string | number | boolean };
    body: undefined;
    answer: {
      from: string;
      until: string;
      bucket_ms: number;
      complete: boolean;
      buckets: {
        from: string;
        succeeded: number;
        failed: number;
        canceled: number;
        median_ms: number | null;
        slow_ms: number | null;
      }[];
    };
  };
  // What people are asked, newest first
  "GET /api/approvals": {
    path: {  };
    query: { status?: string | number | boolean; limit?: string | number | boolean };
    body: undefined;
    answer: {
      approvals: {
        id: string;
        workflow_run_id: string;
        title: string;
        details: string;
        status: string;
        comment: string | null;
        requested_at: string;
        decided_at: string | null;
        expires_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  // Ask a person: a run that waits up to 7 days for the answer
  "POST /api/approvals": {
    path: {  };
    query: {  };
    body: {
      title: string;
      details?: string | null;
    };
    answer: {
      id: string;
      workflow_run_id: string;
      title: string;
      details: string;
      status: string;
      comment: string | null;
      requested_at: string;
      decided_at: string | null;
      expires_at: string;
    };
  };
  // One request
  "GET /api/approvals/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      workflow_run_id: string;
      title: string;
      details: string;
      status: string;
      comment: string | null;
      requested_at: string;
      decided_at: string | null;
      expires_at: string;
    };
  };
  // Say yes, with a comment or without
  "POST /api/approvals/{id}/approve": {
    path: { id: string };
    query: {  };
    body: {
      comment?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_run_id: string;
      title: string;
      details: string;
      status: string;
      comment: string | null;
      requested_at: string;
      decided_at: string | null;
      expires_at: string;
    };
  };
  // Say no: a result, not an error
  "POST /api/approvals/{id}/reject": {
    path: { id: string };
    query: {  };
    body: {
      comment?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_run_id: string;
      title: string;
      details: string;
      status: string;
      comment: string | null;
      requested_at: string;
      decided_at: string | null;
      expires_at: string;
    };
  };
  // Which token did what, newest first
  "GET /api/audit": {
    path: {  };
    query: { action?: string | number | boolean; token_id?: string | number | boolean; target?: string | number | boolean; limit?: string | number | boolean; cursor?: string | number | boolean };
    body: undefined;
    answer: {
      audit: {
        id: string;
        at: string;
        token_id: string | null;
        token_name: string | null;
        action: string;
        target: string | null;
        detail: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  // How much may be paid, and what is spent and reserved of it today
  "GET /api/budgets": {
    path: {  };
    query: { run?: string | number | boolean };
    body: undefined;
    answer: {
      budgets: {
        name: string;
        set_by: string;
        organization: string;
        workflow: string | null;
        per: string;
        unit: string;
        amount: string;
        period: string | null;
        limit: string;
        spent: string;
        reserved: string;
      }[];
      next_cursor: string | null;
    };
  };
  // Set a budget of the caller's organization, or another limit of one
  "POST /api/budgets/{name}": {
    path: { name: string };
    query: {  };
    body: {
      amount?: string | null;
      currency?: string | null;
      tokens?: number | null;
      per: string;
      workflow?: string | null;
      organization?: string | null;
    };
    answer: {
      name: string;
      set_by: string;
      organization: string;
      workflow: string | null;
      per: string;
      unit: string;
      amount: string;
    };
  };
  // Remove a budget that the caller's organization set
  "POST /api/budgets/{name}/remove": {
    path: { name: string };
    query: {  };
    body: undefined;
    answer: {
      name: string;
    };
  };
  // Card statements, newest first
  "GET /api/card-invoices": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean; q?: string | number | boolean; status?: string | number | boolean; from?: string | number | boolean; to?: string | number | boolean };
    body: undefined;
    answer: {
      card_invoices: Record<string, unknown>[];
      next_cursor: string | null;
      total?: number;
    };
  };
  // Store a card statement and start its run
  "POST /api/card-invoices": {
    path: {  };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // A card statement with its lines
  "GET /api/card-invoices/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // Receipts that could belong to the lines that have none
  "GET /api/card-invoices/{id}/candidates": {
    path: { id: string };
    query: { line?: string | number | boolean };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // The lines of a card statement
  "GET /api/card-invoices/{id}/lines": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // A card statement's lines as CSV
  "GET /api/card-invoices/{id}/lines.csv": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // Confirm a line's receipt
  "POST /api/card-invoices/{id}/lines/{line}/confirm": {
    path: { id: string; line: string };
    query: {  };
    body: {
      file_id?: string;
    } | undefined;
    answer: {
      document_id: string;
      line_id: number;
      match_status: string;
      matched_file_id: string | null;
    };
  };
  // Say that a line needs no receipt
  "POST /api/card-invoices/{id}/lines/{line}/ignore": {
    path: { id: string; line: string };
    query: {  };
    body: {
      file_id?: string;
    } | undefined;
    answer: {
      document_id: string;
      line_id: number;
      match_status: string;
      matched_file_id: string | null;
    };
  };
  // Link a receipt to a line by hand
  "POST /api/card-invoices/{id}/lines/{line}/match": {
    path: { id: string; line: string };
    query: {  };
    body: {
      file_id?: string;
    };
    answer: {
      document_id: string;
      line_id: number;
      match_status: string;
      matched_file_id: string | null;
    };
  };
  // Take a line's receipt away
  "POST /api/card-invoices/{id}/lines/{line}/reject": {
    path: { id: string; line: string };
    query: {  };
    body: {
      file_id?: string;
    } | undefined;
    answer: {
      document_id: string;
      line_id: number;
      match_status: string;
      matched_file_id: string | null;
    };
  };
  // Take back that a line is confirmed, or needs no receipt
  "POST /api/card-invoices/{id}/lines/{line}/reopen": {
    path: { id: string; line: string };
    query: {  };
    body: {
      file_id?: string;
    } | undefined;
    answer: {
      document_id: string;
      line_id: number;
      match_status: string;
      matched_file_id: string | null;
    };
  };
  // Match the lines that have no receipt
  "POST /api/card-invoices/{id}/match": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      document_id: string;
      status: string;
      lines: number;
      matched: number;
      unmatched: number;
      changed: number;
    };
  };
  // The lines that have a receipt, with their history
  "GET /api/card-invoices/{id}/matches": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // The tags of documents
  "GET /api/document-tags": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      tags: {
        tag: string;
        documents: number;
      }[];
    };
  };
  // Documents, newest first
  "GET /api/documents": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean; status?: string | number | boolean; content_type?: string | number | boolean; entity?: string | number | boolean; include?: string | number | boolean; q?: string | number | boolean; tag?: string | number | boolean; language?: string | number | boolean };
    body: undefined;
    answer: {
      documents: {
        id: string;
        url: string;
        status: string;
        error: string | null;
        title: string | null;
        author: string | null;
        date: string | null;
        site: string | null;
        description: string | null;
        language: string | null;
        content_hash: string | null;
        content_path: string | null;
        content_length: number | null;
        content_type: string | null;
        workflow_run_id: string | null;
        indexed: boolean;
        fetched_at: string | null;
        created_at: string;
        updated_at: string;
        tags: string[];
      }[];
      next_cursor: string | null;
      total?: number;
    };
  };
  // Fetch a web address as a document, and index it if asked
  "POST /api/documents": {
    path: {  };
    query: {  };
    body: {
      url: string;
      index?: boolean | null;
      refetch?: boolean | null;
    };
    answer: {
      document_id: string;
      url: string;
      workflow_run_id: string;
      workflow_key: string;
      status: string;
      duplicate: boolean;
    };
  };
  // Delete a document
  "DELETE /api/documents/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // One document with its text
  "GET /api/documents/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      url: string;
      status: string;
      error: string | null;
      title: string | null;
      author: string | null;
      date: string | null;
      site: string | null;
      description: string | null;
      language: string | null;
      content_hash: string | null;
      content_path: string | null;
      content_length: number | null;
      content_type: string | null;
      workflow_run_id: string | null;
      indexed: boolean;
      fetched_at: string | null;
      created_at: string;
      updated_at: string;
      text: string;
      markdown: string;
      links: string[];
      topics: string[];
      has_code_examples: boolean | null;
      has_step_by_step_procedures: boolean | null;
      has_narrative_structure: boolean | null;
      entities: {
        name: string;
        type: string;
        mentions: number;
        confidence: number;
        quote: string;
      }[];
      tags: string[];
    };
  };
  // Say which tags a document has
  "PATCH /api/documents/{id}": {
    path: { id: string };
    query: {  };
    body: {
      tags: string[];
    };
    answer: {
      id: string;
      url: string;
      status: string;
      error: string | null;
      title: string | null;
      author: string | null;
      date: string | null;
      site: string | null;
      description: string | null;
      language: string | null;
      content_hash: string | null;
      content_path: string | null;
      content_length: number | null;
      content_type: string | null;
      workflow_run_id: string | null;
      indexed: boolean;
      fetched_at: string | null;
      created_at: string;
      updated_at: string;
      text: string;
      markdown: string;
      links: string[];
      topics: string[];
      has_code_examples: boolean | null;
      has_step_by_step_procedures: boolean | null;
      has_narrative_structure: boolean | null;
      entities: {
        name: string;
        type: string;
        mentions: number;
        confidence: number;
        quote: string;
      }[];
      tags: string[];
    };
  };
  // Where a document leads, or what leads to it
  "GET /api/documents/{id}/links": {
    path: { id: string };
    query: { direction?: string | number | boolean; limit?: string | number | boolean };
    body: undefined;
    answer: {
      links: {
        url: string;
        anchor_text: string;
        document_id: string | null;
        title: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  // The files themselves, as one ZIP
  "GET /api/export/originals.zip": {
    path: {  };
    query: { from?: string | number | boolean; to?: string | number | boolean; kind?: string | number | boolean };
    body: undefined;
    answer: unknown;
  };
  // Receipts as CSV
  "GET /api/export/receipts.csv": {
    path: {  };
    query: { from?: string | number | boolean; to?: string | number | boolean };
    body: undefined;
    answer: unknown;
  };
  // The proposed entries of receipts as a SIE 4 file
  "GET /api/export/sie": {
    path: {  };
    query: { from?: string | number | boolean; to?: string | number | boolean };
    body: undefined;
    answer: unknown;
  };
  // Failed runs by what made them fail
  "GET /api/failures": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      causes: {
        cause: string;
        workflow_key: string;
        stage_key: string | null;
        code: string;
        message: string;
        runs: number;
        parents: number;
        newest_run_id: string;
        newest_at: string;
        oldest_at: string;
      }[];
      complete: boolean;
    };
  };
  // Run what failed for one cause again, up to 200 at once
  "POST /api/failures/{cause}/retry": {
    path: { cause: string };
    query: {  };
    body: undefined;
    answer: {
      cause: string;
      retried: number;
      refused: number;
      more: boolean;
    };
  };
  // Delete a file and its bytes
  "DELETE /api/files/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // One file
  "GET /api/files/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      organization_id: string;
      file_type: string;
      name: string;
      key: string;
      etag: string;
      size: number;
      content_type: string;
      sha256: string;
      workflow_type: string;
      workflow_key: string;
      workflow_run_id: string;
      status: string;
      created_at: string;
      updated_at: string;
    };
  };
  // A file's bytes, or a range of them
  "GET /api/files/{id}/content": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // The pages of a file that were read, in order
  "GET /api/files/{id}/pages": {
    path: { id: string };
    query: { words?: string | number | boolean };
    body: undefined;
    answer: {
      pages: Record<string, unknown>[];
      next_cursor: string | null;
    };
  };
  // A picture of one page, as JPEG
  "GET /api/files/{id}/pages/{number}": {
    path: { id: string; number: string };
    query: { side?: string | number | boolean; rotation?: string | number | boolean };
    body: undefined;
    answer: unknown;
  };
  // Read a page again that a succeeded run went without
  "POST /api/files/{id}/pages/{number}/retry": {
    path: { id: string; number: string };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // Run a file as another kind, in the place of what it was taken for
  "POST /api/files/{id}/read-as": {
    path: { id: string };
    query: {  };
    body: {
      workflow_type: string;
    };
    answer: {
      file_id: string;
      name: string;
      key: string;
      etag: string;
      size: number;
      content_type: string;
      workflow_run_id: string;
      workflow_key: string;
      status: string;
      duplicate: boolean;
    };
  };
  // A small picture of a file: a JPEG, or an SVG to show until that is made
  "GET /api/files/{id}/thumbnail": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // What waits for its turn at the media helper on this worker, or has it, and since when
  "GET /api/helper/jobs": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      jobs?: Record<string, unknown>[];
    };
  };
  // Messages of object stores, newest first
  "GET /api/inbox": {
    path: {  };
    query: { status?: string | number | boolean; limit?: string | number | boolean; cursor?: string | number | boolean };
    body: undefined;
    answer: {
      messages: {
        id: string;
        organization_id: string;
        status: string;
        kind: string;
        source: string;
        action: string;
        key: string;
        etag: string;
        event_at: string;
        attempts: number;
        next_attempt_at: string | null;
        reason: string | null;
        workflow_run_id: string | null;
        received_at: string;
        updated_at: string;
        body: string;
      }[];
      next_cursor: string | null;
    };
  };
  // Try all messages again that were set aside
  "POST /api/inbox/retry": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      retried: number;
    };
  };
  // One message
  "GET /api/inbox/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      organization_id: string;
      status: string;
      kind: string;
      source: string;
      action: string;
      key: string;
      etag: string;
      event_at: string;
      attempts: number;
      next_attempt_at: string | null;
      reason: string | null;
      workflow_run_id: string | null;
      received_at: string;
      updated_at: string;
      body: string;
    };
  };
  // Give a message up
  "POST /api/inbox/{id}/drop": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      organization_id: string;
      status: string;
      kind: string;
      source: string;
      action: string;
      key: string;
      etag: string;
      event_at: string;
      attempts: number;
      next_attempt_at: string | null;
      reason: string | null;
      workflow_run_id: string | null;
      received_at: string;
      updated_at: string;
      body: string;
    };
  };
  // Try a message again that was set aside
  "POST /api/inbox/{id}/retry": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      organization_id: string;
      status: string;
      kind: string;
      source: string;
      action: string;
      key: string;
      etag: string;
      event_at: string;
      attempts: number;
      next_attempt_at: string | null;
      reason: string | null;
      workflow_run_id: string | null;
      received_at: string;
      updated_at: string;
      body: string;
    };
  };
  // What was found in invoices, newest first
  "GET /api/invoices": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean; status?: string | number | boolean; q?: string | number | boolean; from?: string | number | boolean; to?: string | number | boolean; least?: string | number | boolean; most?: string | number | boolean; matched?: string | number | boolean; sort?: string | number | boolean };
    body: undefined;
    answer: {
      invoices: Record<string, unknown>[];
      next_cursor: string | null;
      total?: number;
    };
  };
  // What was found in an invoice, with confidence and boxes
  "GET /api/invoices/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // Correct what was read from the invoice
  "PATCH /api/invoices/{id}": {
    path: { id: string };
    query: {  };
    body: Record<string, unknown>;
    answer: Record<string, unknown>;
  };
  // Say that what was read from the invoice is right
  "POST /api/invoices/{id}/approve": {
    path: { id: string };
    query: {  };
    body: Record<string, unknown> | undefined;
    answer: Record<string, unknown>;
  };
  // An invoice's lines as CSV
  "GET /api/invoices/{id}/lines.csv": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // Take the approval of the invoice back
  "POST /api/invoices/{id}/reopen": {
    path: { id: string };
    query: {  };
    body: Record<string, unknown> | undefined;
    answer: Record<string, unknown>;
  };
  // Events of the organization, as they happen (WebSocket)
  "GET /api/live": {
    path: {  };
    query: { after?: string | number | boolean };
    body: undefined;
    answer: unknown;
  };
  // What this program is called and shows
  "GET /api/program": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      name: string;
      summary: string;
      version: string;
      views: string[];
      accent: string | null;
      start: string | null;
      links: {
        title: string;
        url: string;
      }[];
      observes: boolean;
    };
  };
  // Where runs wait for their turn: limits, and how many wait and run
  "GET /api/queues": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      queues: {
        name: string;
        paused: boolean;
        pause_reason: string | null;
        concurrency: number | null;
        concurrency_per_worker: number | null;
        rate: {
          starts: number;
          period_ms: number;
          tokens_left: number;
        } | null;
        in_line: number;
        running: number;
        waiting: number;
        delayed: number;
        paused_runs: number;
        oldest_at: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  // Change how many of its runs may be under way, and how fast they begin
  "POST /api/queues/{name}/limits": {
    path: { name: string };
    query: {  };
    body: {
      concurrency?: number | null;
      concurrency_per_worker?: number | null;
      rate?: {
        starts: number;
        period_ms: number;
      } | null;
    };
    answer: {
      name: string;
      paused: boolean;
      pause_reason: string | null;
      concurrency: number | null;
      concurrency_per_worker: number | null;
      rate: {
        starts: number;
        period_ms: number;
        tokens_left: number;
      } | null;
      in_line: number;
      running: number;
      waiting: number;
      delayed: number;
      paused_runs: number;
      oldest_at: string | null;
    };
  };
  // No run of the queue begins, or goes on after a wait, until it is resumed
  "POST /api/queues/{name}/pause": {
    path: { name: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      name: string;
      paused: boolean;
      pause_reason: string | null;
      concurrency: number | null;
      concurrency_per_worker: number | null;
      rate: {
        starts: number;
        period_ms: number;
        tokens_left: number;
      } | null;
      in_line: number;
      running: number;
      waiting: number;
      delayed: number;
      paused_runs: number;
      oldest_at: string | null;
    };
  };
  // Let a paused queue go on
  "POST /api/queues/{name}/resume": {
    path: { name: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      name: string;
      paused: boolean;
      pause_reason: string | null;
      concurrency: number | null;
      concurrency_per_worker: number | null;
      rate: {
        starts: number;
        period_ms: number;
        tokens_left: number;
      } | null;
      in_line: number;
      running: number;
      waiting: number;
      delayed: number;
      paused_runs: number;
      oldest_at: string | null;
    };
  };
  // What was found in receipts, newest first
  "GET /api/receipts": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean; status?: string | number | boolean; q?: string | number | boolean; from?: string | number | boolean; to?: string | number | boolean; least?: string | number | boolean; most?: string | number | boolean; matched?: string | number | boolean; sort?: string | number | boolean };
    body: undefined;
    answer: {
      receipts: Record<string, unknown>[];
      next_cursor: string | null;
      total?: number;
    };
  };
  // What was found in a receipt, with confidence and boxes
  "GET /api/receipts/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // Correct what was read from the receipt
  "PATCH /api/receipts/{id}": {
    path: { id: string };
    query: {  };
    body: Record<string, unknown>;
    answer: Record<string, unknown>;
  };
  // Say that what was read from the receipt is right
  "POST /api/receipts/{id}/approve": {
    path: { id: string };
    query: {  };
    body: Record<string, unknown> | undefined;
    answer: Record<string, unknown>;
  };
  // Take the approval of the receipt back
  "POST /api/receipts/{id}/reopen": {
    path: { id: string };
    query: {  };
    body: Record<string, unknown> | undefined;
    answer: Record<string, unknown>;
  };
  // What a person should look at, newest first
  "GET /api/review": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean };
    body: undefined;
    answer: {
      papers: Record<string, unknown>[];
      next_cursor: string | null;
      total?: number;
    };
  };
  // How many runs are queued, wait for a turn, work, wait, are over
  "GET /api/run-states": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      states: {
        queued: number;
        slot: number;
        helper: number;
        running: number;
        retrying: number;
        waiting: number;
        paused: number;
        succeeded: number;
        failed: number;
        canceled: number;
      };
    };
  };
  // Runs, newest first
  "GET /api/runs": {
    path: {  };
    query: { status?: string | number | boolean; state?: string | number | boolean; workflow_key?: string | number | boolean; q?: string | number | boolean; label?: string | number | boolean; since?: string | number | boolean; until?: string | number | boolean; limit?: string | number | boolean; cursor?: string | number | boolean };
    body: undefined;
    answer: {
      runs: {
        id: string;
        workflow_key: string;
        status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
        current_stage: string;
        organization_id: string | null;
        file_id: string | null;
        created_at: string;
        updated_at: string;
        started_at: string | null;
        completed_at: string | null;
        wake_at: string | null;
        deadline_at: string | null;
        parent_id: string | null;
        forked_from: string | null;
        code_version: string | null;
        generation: number;
        stalled: {
          reason: string;
          sentence: string;
          since: string;
        } | null;
        attempts: number;
        error: {
          code: string;
          message: string;
          stage_key: string | null;
        } | null;
        progress: {
          done: number;
          total: number;
          text: string;
        } | null;
        state: string;
        labels: Record<string, unknown>;
      }[];
      next_cursor: string | null;
      total?: number;
    };
  };
  // One run with its stages
  "GET /api/runs/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      current_stage: string;
      organization_id: string | null;
      file_id: string | null;
      created_at: string;
      updated_at: string;
      started_at: string | null;
      completed_at: string | null;
      wake_at: string | null;
      deadline_at: string | null;
      parent_id: string | null;
      forked_from: string | null;
      code_version: string | null;
      generation: number;
      stalled: {
        reason: string;
        sentence: string;
        since: string;
      } | null;
      attempts: number;
      error: {
        code: string;
        message: string;
        stage_key: string | null;
      } | null;
      progress: {
        done: number;
        total: number;
        text: string;
      } | null;
      state: string;
      labels: Record<string, unknown>;
      cost: Record<string, unknown>;
      saved: Record<string, unknown>;
      children: Record<string, unknown>;
      parent_path: string | null;
      signals: number;
      input: unknown;
      result: unknown;
      stages: {
        stage_key: string;
        position: number;
        path: string;
        kind: string;
        status: "queued" | "running" | "retrying" | "succeeded" | "failed" | "skipped" | "canceled";
        attempt: number;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        next_attempt_at: string | null;
        message: string | null;
        output: unknown;
        checkpoint: unknown;
        failed_attempts: {
          attempt: number;
          started_at: string | null;
          finished_at: string | null;
          error_code: string | null;
          message: string;
          worker: string | null;
        }[];
      }[];
      deaths: {
        worker: string;
        epoch: number;
        last_seen: string;
        picked_up_by: string | null;
        picked_up_at: string | null;
        stage: string | null;
        charged: boolean;
        reason: string;
      }[];
      exposed: Record<string, unknown>;
      undoing: {
        done: number;
        of: number;
        stage_key: string | null;
        end: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      } | null;
    };
  };
  // Let a run that a budget has paused pay what it asked, once or under a new limit
  "POST /api/runs/{id}/approve": {
    path: { id: string };
    query: {  };
    body: {
      amount?: string | null;
      currency?: string | null;
      tokens?: number | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // End a run, at its next step boundary if it runs
  "POST /api/runs/{id}/cancel": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
      undo?: boolean | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // A new run that keeps what came before a step, and goes on from there
  "POST /api/runs/{id}/fork": {
    path: { id: string };
    query: {  };
    body: {
      from?: string | null;
      input?: unknown;
      outputs?: Record<string, unknown> | null;
      id?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // Everything recorded of a run, as `belay runs replay` takes it
  "GET /api/runs/{id}/history": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // Send a message that the run receives once; the body is the message
  "POST /api/runs/{id}/messages/{topic}": {
    path: { id: string; topic: string };
    query: {  };
    body: unknown;
    answer: {
      id: string;
      topic: string;
    };
  };
  // Stop a run until it is resumed
  "POST /api/runs/{id}/pause": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // Ask a run that is not over, or read what it exposed; the body is the question
  "POST /api/runs/{id}/questions/{name}": {
    path: { id: string; name: string };
    query: { wait_s?: string | number | boolean };
    body: unknown | undefined;
    answer: {
      id: string;
      name: string;
      answer: unknown;
    };
  };
  // Let a paused run go on
  "POST /api/runs/{id}/resume": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // Run a failed or canceled run again, from the step that failed
  "POST /api/runs/{id}/retry": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // What a run waits for, or how it ended
  "GET /api/runs/{id}/why": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      sentence: string;
      waits_for: string;
      to_do: string | null;
      since: string | null;
      until: string | null;
      stage_key: string | null;
      attempt: number | null;
      last_error: string | null;
      worker: string | null;
      topic: string | null;
      child_id: string | null;
      child_status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled" | null;
      open_branches: string[];
      stalled: string | null;
      executor: string | null;
    };
  };
  // What starts by the clock: when next, and what came of the last time
  "GET /api/schedules": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      schedules: {
        name: string;
        workflow_key: string;
        cron: string;
        zone: string;
        input: unknown;
        catch_up: string;
        catch_up_max: number;
        overlap: string;
        jitter_ms: number;
        start: string | null;
        end: string | null;
        queue: string | null;
        priority: number;
        organization_id: string | null;
        paused: boolean;
        next_tick: string | null;
        last_tick: string | null;
        last_run_id: string | null;
        buffered_tick: string | null;
        fired: number;
        lost: number;
      }[];
      next_cursor: string | null;
    };
  };
  // Start the runs of past ticks, each at most once, or count them
  "POST /api/schedules/{name}/backfill": {
    path: { name: string };
    query: {  };
    body: {
      from: string;
      to?: string | null;
      limit?: number | null;
      dry_run?: boolean | null;
    };
    answer: {
      ticks: number;
      started: number;
      there: number;
      taken: number;
      first: string | null;
      last: string | null;
      next: string | null;
    };
  };
  // Let its ticks pass until it is resumed
  "POST /api/schedules/{name}/pause": {
    path: { name: string };
    query: {  };
    body: undefined;
    answer: {
      name: string;
      workflow_key: string;
      cron: string;
      zone: string;
      input: unknown;
      catch_up: string;
      catch_up_max: number;
      overlap: string;
      jitter_ms: number;
      start: string | null;
      end: string | null;
      queue: string | null;
      priority: number;
      organization_id: string | null;
      paused: boolean;
      next_tick: string | null;
      last_tick: string | null;
      last_run_id: string | null;
      buffered_tick: string | null;
      fired: number;
      lost: number;
    };
  };
  // Let a paused schedule fire again, from its next tick on
  "POST /api/schedules/{name}/resume": {
    path: { name: string };
    query: {  };
    body: undefined;
    answer: {
      name: string;
      workflow_key: string;
      cron: string;
      zone: string;
      input: unknown;
      catch_up: string;
      catch_up_max: number;
      overlap: string;
      jitter_ms: number;
      start: string | null;
      end: string | null;
      queue: string | null;
      priority: number;
      organization_id: string | null;
      paused: boolean;
      next_tick: string | null;
      last_tick: string | null;
      last_run_id: string | null;
      buffered_tick: string | null;
      fired: number;
      lost: number;
    };
  };
  // Start a run of it now, beside its ticks
  "POST /api/schedules/{name}/trigger": {
    path: { name: string };
    query: {  };
    body: undefined;
    answer: {
      name: string;
      workflow_run_id: string;
      workflow_key: string;
    };
  };
  // Documents by their words and their meaning, best first
  "GET /api/search": {
    path: {  };
    query: { q?: string | number | boolean; limit?: string | number | boolean; content_type?: string | number | boolean };
    body: undefined;
    answer: {
      results: {
        document_id: string;
        url: string;
        title: string;
        snippet: string;
        content_type: string | null;
        date: string;
        score: number;
        similarity: number | null;
        has_words: boolean;
      }[];
      next_cursor: string | null;
      model: string;
      warning: string | null;
    };
  };
  // Sign out
  "DELETE /api/session": {
    path: {  };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // Whose page this is, and what it sends with changes
  "GET /api/session": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      signed_in: boolean;
      token_needed: boolean;
      organization_id: string | null;
      token: {
        id: string;
        name: string;
      } | null;
      expires_at: string | null;
      csrf: string | null;
      owner: boolean;
      organizations: string[];
    };
  };
  // Sign in: a token opens a session of the page
  "POST /api/session": {
    path: {  };
    query: {  };
    body: {
      token?: string | null;
      organization?: string | null;
    };
    answer: {
      signed_in: boolean;
      token_needed: boolean;
      organization_id: string | null;
      token: {
        id: string;
        name: string;
      } | null;
      expires_at: string | null;
      csrf: string | null;
      owner: boolean;
      organizations: string[];
    };
  };
  // What the organization has decided
  "GET /api/settings": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      language: string | null;
      home_currency: string | null;
      accounts: Record<string, string>;
      webhook: {
        url: string;
        fixed: boolean;
      } | null;
      limits: {
        upload_bytes_max: number;
        requests_per_second: number;
        connections_max: number;
      };
    };
  };
  // Decide something; null takes it back
  "PATCH /api/settings": {
    path: {  };
    query: {  };
    body: Record<string, unknown>;
    answer: {
      language: string | null;
      home_currency: string | null;
      accounts: Record<string, string>;
      webhook: {
        url: string;
        fixed: boolean;
      } | null;
      limits: {
        upload_bytes_max: number;
        requests_per_second: number;
        connections_max: number;
      };
    };
  };
  // Who may speak for the organization
  "GET /api/tokens": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      tokens: {
        id: string;
        organization_id: string;
        name: string;
        created_at: string;
        last_used_at: string | null;
        revoked_at: string | null;
        current: boolean;
      }[];
    };
  };
  // Make a token; its secret is shown once
  "POST /api/tokens": {
    path: {  };
    query: {  };
    body: {
      name: string;
      organization_id?: string | null;
    };
    answer: {
      id: string;
      organization_id: string;
      name: string;
      token: string;
    };
  };
  // Revoke a token, and end its sessions
  "DELETE /api/tokens/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // Uploaded files with what was found, newest first
  "GET /api/uploads": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean; q?: string | number | boolean; workflow_type?: string | number | boolean; state?: string | number | boolean; since?: string | number | boolean; until?: string | number | boolean };
    body: undefined;
    answer: {
      uploads: {
        upload_event_id: string;
        organization_id: string;
        name: string;
        r2_key: string;
        r2_etag: string;
        r2_size: number;
        content_type: string;
        workflow_id: string;
        status: string;
        classification_model: string | null;
        classification_top_label: string | null;
        classification_top_score: number | null;
        classification_json: string | null;
        classification_error: string | null;
        created_at: string;
        updated_at: string;
        completed_at: string | null;
        file_id: string;
        workflow_type: string;
        workflow_key: string;
        workflow_run_id: string;
        label: string | null;
        score: number | null;
        error: string | null;
        found: unknown;
        run_state: string | null;
      }[];
      next_cursor: string | null;
      total?: number;
    };
  };
  // What is wrong with the server's data as a whole
  "GET /api/warnings": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      warnings: {
        code: string;
        text: string;
      }[];
    };
  };
  // The processes that execute runs, and what each of them can run
  "GET /api/workers": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      workers: {
        name: string;
        code_version: string | null;
        since: string;
        workflow_keys: string[];
      }[];
      next_cursor: string | null;
    };
  };
  // What is defined, and how its newest runs did
  "GET /api/workflows": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      workflows: {
        key: string;
        summary: string;
        code_version: string;
        versions: {
          code_version: string;
          described_at: string;
        }[];
        input_schema: Record<string, unknown>;
        output_schema: Record<string, unknown>;
        exposed: boolean;
        editable: string[];
        runs: {
          of: number;
          queued: number;
          running: number;
          waiting: number;
          paused: number;
          succeeded: number;
          failed: number;
          canceled: number;
          per_hour: number | null;
          p50_ms: number | null;
          p95_ms: number | null;
        };
      }[];
    };
  };
  // One workflow, with the stages of a run
  "GET /api/workflows/{key}": {
    path: { key: string };
    query: {  };
    body: undefined;
    answer: {
      key: string;
      summary: string;
      code_version: string;
      versions: {
        code_version: string;
        described_at: string;
      }[];
      input_schema: Record<string, unknown>;
      output_schema: Record<string, unknown>;
      exposed: boolean;
      editable: string[];
      runs: {
        of: number;
        queued: number;
        running: number;
        waiting: number;
        paused: number;
        succeeded: number;
        failed: number;
        canceled: number;
        per_hour: number | null;
        p50_ms: number | null;
        p95_ms: number | null;
      };
      stages: string[];
    };
  };
  // Start a run; an input that does not fit is answered with its field
  "POST /api/workflows/{key}/runs": {
    path: { key: string };
    query: {  };
    body: {
      input: unknown;
      id?: string | null;
      queue?: string | null;
      organization?: string | null;
      labels?: Record<string, string> | null;
      retry?: boolean | null;
      delay_ms?: number | null;
      deadline_ms?: number | null;
      priority?: number | null;
      partition?: string | null;
      dedupe_id?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
    };
  };
  // Notifications of an object store: S3's or R2's, one or many
  "POST /events/objects": {
    path: {  };
    query: {  };
    body: unknown;
    answer: {
      received: number;
      messages: {
        id: string;
        status: string;
        kind: string;
        key: string;
        reason: string | null;
      }[];
    };
  };
  // The process answers
  "GET /healthz": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      status: string;
      version: string;
    };
  };
  // Store files and start a run for each
  "POST /ingest/upload": {
    path: {  };
    query: { force?: string | number | boolean };
    body: undefined;
    answer: {
      uploads: {
        file_id: string;
        name: string;
        key: string;
        etag: string;
        size: number;
        content_type: string;
        workflow_run_id: string;
        workflow_key: string;
        status: string;
        duplicate: boolean;
      }[];
      errors: {
        name: string;
        error: string;
      }[];
    };
  };
  // Numbers for Prometheus, of the whole server
  "GET /metrics": {
    path: {  };
    query: {  };
    body: undefined;
    answer: unknown;
  };
  // This description
  "GET /openapi.json": {
    path: {  };
    query: {  };
    body: undefined;
    answer: Record<string, unknown>;
  };
  // It can take work now
  "GET /readyz": {
    path: {  };
    query: {  };
    body: undefined;
    answer: {
      status: string;
      version: string;
    };
  };
}
